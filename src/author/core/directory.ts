/** The company directory: who works here, in which department, for whom. Other services name people by `employee_no` or `email`. */
import type { ServiceSpec } from '../../artifacts/service.js';
import type { Arg, Tool } from '../../artifacts/tool.js';
import type { Company } from '../../artifacts/world.js';
import { rng } from '../../kit/rng.js';
import { neutralSurface } from '../dialects/neutral.js';
import { PAGING } from './paging.js';

const STATUS = ['active', 'on_leave', 'left'];

/** Rows of initial data: everyone in a small firm, a readable part of a large one. */
const headcount = (company: Company): number => Math.max(8, Math.min(company.employees, 45));

const narrowing: Record<string, Arg> = {
  department: {
    type: 'text',
    role: 'filter',
    col: 'department',
    op: 'eq',
    description: 'Department, as written in the directory.',
  },
  status: {
    type: 'text',
    role: 'filter',
    col: 'status',
    op: 'eq',
    enum: STATUS,
    description: 'Whether they work here now.',
  },
  manager_id: {
    type: 'text',
    role: 'filter',
    col: 'manager_id',
    op: 'eq',
    ref: 'employee',
    description: 'Only those who report directly to this person.',
  },
};

const tools: Record<string, Tool> = {
  employee_search: {
    id: 'employee.search',
    op: 'search',
    table: 'employee',
    description: 'Find people by any part of their name, title, e-mail address, employee number or location.',
    args: {
      query: { type: 'text', role: 'query', minLength: 1, maxLength: 120, description: 'Words that must all appear.' },
      ...narrowing,
      ...PAGING,
    },
    match: ['name', 'title', 'email', 'employee_no', 'location'],
    order: [{ col: 'name' }],
    errors: { invalid_argument: 422 },
    reads: ['employee'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  employee_list: {
    id: 'employee.list',
    op: 'list',
    table: 'employee',
    description:
      'List people of the company, filtered by department, status, manager, location or the day they were hired.',
    args: {
      ...narrowing,
      location: { type: 'text', role: 'filter', col: 'location', op: 'eq', description: 'Office or site.' },
      email: {
        type: 'text',
        role: 'filter',
        col: 'email',
        op: 'eq',
        format: 'email',
        description: 'Exact e-mail address.',
      },
      employee_no: {
        type: 'text',
        role: 'filter',
        col: 'employee_no',
        op: 'eq',
        description: 'Exact employee number.',
      },
      hired_on_from: {
        type: 'date',
        role: 'filter',
        col: 'hired_on',
        op: 'gte',
        description: 'Hired on this day or later.',
      },
      hired_on_to: {
        type: 'date',
        role: 'filter',
        col: 'hired_on',
        op: 'lte',
        description: 'Hired on this day or earlier.',
      },
      ...PAGING,
    },
    order: [{ col: 'employee_no' }],
    errors: { invalid_argument: 422 },
    reads: ['employee'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
  employee_get: {
    id: 'employee.get',
    op: 'get',
    table: 'employee',
    description: 'Read one person of the directory by id.',
    args: {
      id: { type: 'text', role: 'key', col: 'id', ref: 'employee', required: true, description: 'Id of the person.' },
    },
    errors: { not_found: 404, invalid_argument: 422 },
    reads: ['employee'],
    writes: [],
    provenance: { tier: 'catalogue' },
  },
};

/** `directory`: one table, three tools that read. */
export const directory = (company: Company): ServiceSpec => ({
  treadle: 'service/1',
  id: 'directory',
  title: `${company.name} staff directory`,
  description: `People who work at ${company.name}: names, titles, departments, managers and how to reach them.`,
  source: { kind: 'core', ref: 'directory', archetype: 'directory' },
  tables: {
    employee: {
      noun: 'employee',
      description: 'A person who works or has worked here.',
      key: { col: 'id', gen: { style: 'base62', prefix: 'emp_', length: 14 } },
      label: 'name',
      rows: headcount(company),
      cols: {
        id: { type: 'text', required: true, seed: 'key' },
        employee_no: {
          type: 'text',
          required: true,
          unique: true,
          auto: 'number',
          prefix: rng(company.name, 'core', 'employee_no').pick(['E', 'E-', 'EMP', 'P', 'S-']),
          seed: 'document_number',
          description: 'Employee number; other systems name people by it.',
        },
        name: { type: 'text', required: true, seed: 'full_name', description: 'Full name.' },
        email: {
          type: 'text',
          required: true,
          unique: true,
          format: 'email',
          seed: 'email',
          description: 'Work e-mail address.',
        },
        title: { type: 'text', required: true, seed: 'job_title', description: 'Job title.' },
        department: { type: 'text', required: true, seed: 'department', description: 'Department they belong to.' },
        manager_id: {
          type: 'text',
          fk: 'employee',
          description: 'The person they report to; none for the head of the company.',
        },
        phone: { type: 'text', seed: 'phone', description: 'Work phone.' },
        status: {
          type: 'text',
          required: true,
          enum: STATUS,
          default: 'active',
          seed: 'status',
          description: 'active, on_leave, or left.',
        },
        hired_on: { type: 'date', required: true, seed: 'hire_date', description: 'First working day.' },
        location: { type: 'text', seed: 'city', description: 'Office or site they work from.' },
      },
    },
  },
  tools: structuredClone(tools),
  surface: neutralSurface(company.currency),
});
