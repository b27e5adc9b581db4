/** A rollout as a conversation: who said what, which tools were called, what came back, and what each call did to the state. */
import type { LedgerEntry, Message, ToolCall, Trace } from '../../../artifacts/trace.js';
import { changeLines, touchLines } from './changes.js';
import { clean, cleanLine, cleanShort } from './clean.js';
import { happenedAfter, isNotification, noticeNote } from './events.js';
import { broken, folded } from './page.js';
import { pairCalls } from './pair.js';
import type { Line, ShownTrace } from './shown.js';
import { endedLines, stageTitle } from './stages.js';

/** Lines of a long text that are shown unless everything is. */
const FEW = { system: 3, text: 40, result: 4 } as const;

const ARROW = { insert: 'green', update: 'yellow', delete: 'red' } as const;

const lined = (lines: readonly string[], style?: Line['style']): Line[] =>
  lines.map((text) => (style === undefined ? { text } : { text, style }));

const most = ({ full }: ShownTrace, kind: keyof typeof FEW): number | undefined => (full ? undefined : FEW[kind]);

const argumentsText = (call: ToolCall | undefined, entry: LedgerEntry | undefined): string =>
  call?.malformed ?? JSON.stringify(entry?.args ?? call?.arguments ?? {});

/** What the call's row changes are: with values where the calls were run again up to here. */
const stateLines = (shown: ShownTrace, index: number, entry: LedgerEntry): Line[] => {
  const known = shown.retraced && (shown.retraced.differsAt ?? Number.POSITIVE_INFINITY) > index;
  const lines = known ? changeLines(shown.services, shown.retraced?.changes[index] ?? []) : touchLines(entry);
  return lines.flatMap(({ change, text }) => lined(broken(text, 6), ARROW[change]));
};

const shownResult = (text: string, full: boolean): string => {
  if (!full) return clean(text);
  try {
    return clean(JSON.stringify(JSON.parse(text), null, 1));
  } catch {
    return clean(text);
  }
};

/** One call: its name, its arguments, what came back, what it changed. */
const callLines = (
  shown: ShownTrace,
  call: ToolCall | undefined,
  index: number | undefined,
  observed: string | undefined,
): Line[] => {
  const entry = index === undefined ? undefined : shown.trace.ledger[index];
  const name = cleanShort(call?.name ?? entry?.tool ?? '');
  const number = index === undefined ? 'no call' : `call ${index + 1}`;
  const what = `${number}  ${entry?.service ? `${cleanShort(entry.service)}: ` : ''}${name} ${cleanLine(argumentsText(call, entry))}`;
  const error = entry?.error;
  const result = observed ?? (entry ? JSON.stringify(entry.result) : undefined);
  const sign = error ? `${cleanShort(error.code)} (fault: ${error.fault})  ` : '';
  const back = result === undefined ? 'no result' : shownResult(result, shown.full);
  return [
    ...lined(folded(what, 4, most(shown, 'result')), 'cyan'),
    ...lined(folded(`→ ${sign}${back}`, 6, most(shown, 'result')), error ? 'red' : 'dim'),
    ...(entry && index !== undefined ? stateLines(shown, index, entry) : []),
    ...(entry && index !== undefined ? happenedAfter(shown, index) : []),
  ];
};

const SPEAKER = { system: 'system', user: 'user', assistant: 'agent', tool: 'tool' } as const;

const turnNote = (trace: Trace, index: number): string => {
  const turns = trace.dialogue?.turns.filter(({ message, act }) => message === index && act !== 'requests') ?? [];
  const notes = turns.map(({ act, facts, refused }) => {
    const told = facts.length > 0 ? ` ${facts.map((fact) => cleanShort(fact, 40)).join(', ')}` : '';
    const why = refused === undefined ? '' : `; the model's wording was not taken: ${cleanShort(refused)}`;
    return `${act.replaceAll('_', ' ')}${told}${why}`;
  });
  return notes.length > 0 ? `  (${notes.join('; ')})` : '';
};

const messageLines = (shown: ShownTrace, message: Message, index: number): Line[] => {
  const { role, content, reasoning } = message;
  const note = `${turnNote(shown.trace, index)}${noticeNote(shown, index)}`;
  const speaker = role === 'user' && isNotification(shown, index) ? 'outside' : SPEAKER[role];
  const text = clean(content).trim();
  const isEmpty = text === '' && reasoning === undefined && (message.toolCalls ?? []).length === 0;
  return [
    { text: `${speaker}${note}`, style: 'bold' },
    ...(reasoning === undefined ? [] : lined(folded(clean(reasoning).trim(), 4, most(shown, 'text')), 'dim')),
    ...(text === '' ? [] : lined(folded(text, 2, most(shown, role === 'system' ? 'system' : 'text')))),
    ...(isEmpty ? [{ text: '  (says nothing)', style: 'dim' } as const] : []),
  ];
};

/** Where the rollout stops being the one it was made from. */
const originLines = ({ origin }: Trace, index: number): Line[] => {
  if (!origin || !('from' in origin) || origin.from !== index) return [];
  const text =
    origin.kind === 'negative'
      ? `── from here on: attempt ${origin.attempt} at ${origin.node}, which was dropped`
      : `── from here on: branch ${origin.index + 1} of group ${cleanShort(origin.group, 16)}`;
  return [{ text, style: 'magenta' }];
};

/** All of it, blank lines between the turns. */
export const conversationLines = (shown: ShownTrace): Line[] => {
  const { trace } = shown;
  const { entryOf, unspoken } = pairCalls(trace);
  const taken = new Set<number>();
  const resultOf = (call: ToolCall): string | undefined => {
    const at = trace.messages.findIndex(
      ({ role, toolCallId }, i) => role === 'tool' && toolCallId === call.id && !taken.has(i),
    );
    if (at >= 0) taken.add(at);
    return trace.messages[at]?.content;
  };
  const out: Line[] = happenedAfter(shown, -1);
  for (const [i, message] of trace.messages.entries()) {
    out.push(...originLines(trace, i));
    const marks = trace.dialogue?.stages ?? [];
    const asked = marks.findIndex((mark) => mark.asked === i);
    if (asked >= 0) out.push({ text: '' }, stageTitle(shown, asked));
    // A result stands under its call.
    if (!taken.has(i)) {
      out.push({ text: '' }, ...messageLines(shown, message, i));
      for (const call of message.toolCalls ?? [])
        out.push(...callLines(shown, call, entryOf.get(call), resultOf(call)));
    }
    const ended = marks.findIndex((mark) => mark.ended === i);
    if (ended >= 0) out.push({ text: '' }, ...endedLines(shown, ended));
  }
  if (unspoken.length > 0) out.push({ text: '' }, { text: 'calls that no message speaks of', style: 'bold' });
  for (const index of unspoken) out.push(...callLines(shown, undefined, index, undefined));
  return out;
};
