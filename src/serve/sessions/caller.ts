/** Who a session's tools act for. One rule everywhere, so that a replay writes the same bytes as the first run. */
import type { Task } from '../../artifacts/task.js';
import type { Caller } from '../../world/program/types.js';

/** A caller is known to services by the work e-mail, the key that all of them share. */
export const callerOf = ({ name, email }: Pick<Task['actor'], 'name' | 'email'>): Caller => ({
  id: email,
  name,
  email,
});
