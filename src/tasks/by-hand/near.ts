/** Names a person may have meant, as text. */
import { nearNames } from '../../kit/near.js';

export const nearest = (name: string, names: readonly string[]): string => nearNames(name, names).join(', ') || 'none';
