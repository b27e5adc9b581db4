/** What may be null or absent, by the names in scope. */
import type { Nullness } from './guards.js';
import { type Kind, type Scope, stepTable } from './scope.js';

/** What may be null or absent in a scope. */
export const nullness = (scope: Scope): Nullness => {
  const kindOf = (name: string): Kind | undefined => scope.names.get(name)?.kind;
  return {
    mayBeAbsent: (path) => {
      const [root, field = ''] = path.split('.');
      const spec = root === 'args' && !scope.names.has('args') ? scope.site.args.get(field) : undefined;
      return spec !== undefined && !spec.arg.required && spec.arg.default === undefined;
    },
    mayBeNull: (path) => {
      const [root = '', field] = path.split('.');
      if (root === 'args') return field !== undefined && scope.site.args.get(field)?.nullable === true;
      const kind = kindOf(root);
      if (field === undefined) return kind?.is === 'row' ? kind.maybe : kind?.is === 'scalar' && kind.nullable;
      if (kind?.is !== 'row') return false;
      const table = stepTable(scope, kind.table);
      return field !== table.key.col && table.cols[field]?.required !== true;
    },
  };
};
