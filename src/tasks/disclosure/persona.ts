/** Who asks: a manner of speaking with what follows from it, in the asking employee's role. */
import type { Disclosure, Persona } from '../../artifacts/disclosure.js';
import { voiceOf } from '../words/tone.js';

/** The persona of a manner; one that nobody knows speaks plainly. */
export const personaOf = (manner: string, role: string): Persona => ({ manner, role, ...voiceOf(manner) });

/** A task's persona whole: a hand-written one may be a manner only. */
export const wholePersona = ({ persona }: Pick<Disclosure, 'persona'>, role: string): Persona =>
  typeof persona === 'string' ? personaOf(persona, role) : persona;
