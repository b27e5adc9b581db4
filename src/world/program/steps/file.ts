/** file: reads and writes of the session's private file tree. */
import type { PlainStep, Value } from '../../../artifacts/step.js';
import type { CompiledStep, Run } from '../run.js';
import { bind, defect, type Kind, type Scope } from '../scope.js';
import { compileValue } from '../value.js';

export type FileStep = Extract<PlainStep, { file: unknown }>;

/** Whether a file step changes the tree. */
export const writesFiles = ({ file }: FileStep): boolean => file.do !== 'read' && file.do !== 'list';

export const compileFile = (scope: Scope, { file }: FileStep): [CompiledStep, Scope] => {
  const text = (value: Value | undefined, what: string): ((run: Run) => string) => {
    if (value === undefined) throw defect(scope, 'bad_steps', `file ${file.do} needs ${what}`);
    const compiled = compileValue(scope, value);
    return (run) => {
      const found = compiled.get(run);
      return found === null || found === undefined ? '' : String(found);
    };
  };
  const path = text(file.path, 'a path');
  const work = ((): ((run: Run) => string | string[] | undefined) => {
    switch (file.do) {
      case 'read':
        return (run) => run.ctx.workspace.read(path(run));
      case 'list':
        return (run) => run.ctx.workspace.list(path(run));
      case 'delete':
        return (run) => {
          run.ctx.workspace.delete(path(run));
          return undefined;
        };
      case 'write': {
        const content = text(file.content, 'a content');
        return (run) => {
          run.ctx.workspace.write(path(run), content(run));
          return undefined;
        };
      }
      case 'move': {
        const to = text(file.to, 'a target');
        return (run) => {
          run.ctx.workspace.move(path(run), to(run));
          return undefined;
        };
      }
    }
  })();
  const kind: Kind =
    file.do === 'list' ? { is: 'list', items: 'string' } : { is: 'scalar', scalar: 'string', nullable: false };
  const bound = file.as === undefined || writesFiles({ file }) ? undefined : bind(scope, file.as, kind);
  return [
    {
      run: (run) => {
        const found = work(run);
        if (bound) run.slots[bound[1]] = found;
      },
      plans: [],
    },
    bound?.[0] ?? scope,
  ];
};
