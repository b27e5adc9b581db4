/** The end of a connection in place of an answer: what a door makes of it is its own affair. */
import type { FaceResponse } from './types.js';

export const CUT: FaceResponse = { status: 0, headers: {}, body: undefined };

export const isCut = ({ status }: FaceResponse): boolean => status === 0;
