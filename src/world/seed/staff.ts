/** The people who work here: a tree by department with one head, titles and dates of hire that fit it. */

import type { Company } from '../../artifacts/world.js';
import { DAY, startOfDay } from '../../kit/calendar.js';
import type { Rng } from '../../kit/rng.js';
import { companiesData } from './data.js';

export interface Post {
  title: string;
  department: string;
  /** Index into the list of posts; undefined for the head of the company. */
  manager: number | undefined;
  hired: number;
  level: number;
}

/** The company's departments with the titles of each, its trade's own first. */
export const departmentsOf = (company: Company, sector: string, r: Rng): [string, string[]][] => {
  const { departments, sector_departments: own } = companiesData();
  const all = Object.entries(departments).filter(([name]) => name !== 'Management');
  const many = company.employees >= 60 ? 8 : company.employees >= 20 ? 5 : 3;
  const at = Object.keys(own)
    .filter((code) => company.industry.naics.startsWith(code))
    .sort((a, b) => b.length - a.length)[0];
  const trade = Object.entries(own[at ?? sector] ?? {});
  const first = all.slice(0, 4);
  const rest = r.shuffle(all.slice(4));
  return [...trade, ...first, ...rest].slice(0, Math.max(many, trade.length + 2));
};

/** `count` posts, heads before their people: the same order as hire dates, so that a manager was there first. */
export const staffOf = (
  company: Company,
  departments: readonly [string, string[]][],
  count: number,
  clock: number,
  r: Rng,
): Post[] => {
  const founded = Math.max(Date.UTC(company.founded, 0, 15) / 1000, clock - 22 * 365 * DAY);
  const start = Math.min(founded, clock - 2 * 365 * DAY);
  const span = clock - 45 * DAY - start;
  const posts: Post[] = [
    {
      title: company.employees < 12 ? 'Owner' : (companiesData().departments.Management?.[0] ?? 'Managing Director'),
      department: 'Management',
      manager: undefined,
      hired: start,
      level: 0,
    },
  ];
  const heads = new Map<string, number>();
  for (let i = 1; i < count; i++) {
    const fresh = departments.find(([name]) => !heads.has(name));
    const hired = startOfDay(start + span * (i / count) ** 0.8 * (0.94 + 0.06 * r.unit()));
    if (fresh && (i <= departments.length || r.chance(0.5))) {
      heads.set(fresh[0], i);
      posts.push({ title: fresh[1][0] as string, department: fresh[0], manager: 0, hired, level: 1 });
      continue;
    }
    const [name, titles] = departments[Math.floor(departments.length * r.unit() ** 1.4)] as [string, string[]];
    const head = heads.get(name) ?? 0;
    // The second in line leads part of a department that has grown.
    const leads = posts
      .map((post, at) => ({ post, at }))
      .filter(
        ({ post }) =>
          post.department === name && post.level === 2 && /lead|senior|manager|supervisor|foreman/i.test(post.title),
      );
    const under = leads.length > 0 && r.chance(0.5) ? (leads[0] as { at: number }).at : head;
    const title = titles[Math.min(titles.length - 1, 1 + Math.floor((titles.length - 1) * r.unit()))] as string;
    posts.push({ title, department: name, manager: under, hired, level: (posts[under]?.level ?? 0) + 1 });
  }
  // Dates only rise, so that numbers given in order of hire rise with them; Mondays and first days read best.
  let last = start;
  for (const post of posts) {
    const weekday = (Math.floor(post.hired / DAY) + 4) % 7;
    post.hired = Math.max(last, post.hired + ((8 - weekday) % 7) * DAY);
    last = post.hired;
  }
  return posts;
};
