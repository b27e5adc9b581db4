/** Flavours of a staff directory: reporting lines, kinds of employment, one way of finding people or two. */
import type { Arg } from '../../artifacts/tool.js';
import { actionTool, type Extra, keyArg, listTool, theRow } from './extras.js';

const EMPLOYMENT = ['full_time', 'part_time', 'contractor', 'apprentice'];

const employment: Arg = {
  type: 'text',
  role: 'filter',
  col: 'employment',
  op: 'eq',
  enum: EMPLOYMENT,
  description: 'How they are employed.',
};

const hired = (op: 'gte' | 'lte', description: string): Arg => ({
  type: 'date',
  role: 'filter',
  col: 'hired_on',
  op,
  description,
});

/** In the order in which they are drawn. */
export const DIRECTORY_EXTRAS: readonly Extra[] = [
  {
    share: 45,
    tools: {
      direct_report_list: listTool(
        'direct_report.list',
        'employee',
        'List who reports directly to a person, by name.',
        {
          manager_id: {
            type: 'text',
            role: 'filter',
            col: 'manager_id',
            op: 'eq',
            ref: 'employee',
            required: true,
            description: 'Id of the person they report to.',
          },
        },
        [{ col: 'name' }],
      ),
    },
  },
  {
    share: 35,
    tools: {
      manager_get: actionTool(
        'manager.get',
        'employee',
        'Read whom a person reports to.',
        keyArg('employee', 'person whose superior is asked for'),
        [
          theRow('employee', 'person'),
          {
            require: [
              {
                that: 'row.manager_id != null',
                error: 'no_manager',
                message: 'That person reports to nobody.',
                field: 'id',
              },
            ],
          },
          {
            get: {
              table: 'employee',
              where: { id: '$row.manager_id' },
              as: 'superior',
              else: { error: 'not_found', message: 'No such person.', field: 'id' },
            },
          },
        ],
        { row: 'superior' },
        { no_manager: 404 },
      ),
    },
  },
  {
    share: 35,
    cols: {
      employee: {
        employment: {
          type: 'text',
          required: true,
          enum: EMPLOYMENT,
          default: 'full_time',
          description: 'How they are employed.',
        },
      },
    },
    args: { employee_list: { employment }, employee_search: { employment } },
  },
  {
    share: 25,
    group: 'finding',
    args: {
      employee_list: {
        name_contains: {
          type: 'text',
          role: 'filter',
          col: 'name',
          op: 'contains',
          minLength: 1,
          maxLength: 120,
          description: 'Text that the name contains.',
        },
        title_contains: {
          type: 'text',
          role: 'filter',
          col: 'title',
          op: 'contains',
          minLength: 1,
          maxLength: 120,
          description: 'Text that the job title contains.',
        },
      },
    },
    without: ['employee_search'],
  },
  {
    share: 25,
    group: 'finding',
    args: {
      employee_search: {
        hired_on_from: hired('gte', 'Hired on this day or later.'),
        hired_on_to: hired('lte', 'Hired on this day or earlier.'),
      },
    },
    without: ['employee_list'],
  },
];
