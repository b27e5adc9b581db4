/** Words that a model may put in front of agents: short, plain, without addresses, markup and orders. */

import { snake } from '../../../kit/words.js';
import { cues } from '../../catalogue/brief/data.js';
import { hasPhrase } from '../../catalogue/brief/phrase.js';
import { fold, readText } from '../../catalogue/brief/text.js';
import { LONE } from './plain.js';

const ADDRESS =
  /(?:https?|ftp|file|data|javascript|wss?):\S*|www\.\S+|\S+@\S+\.\S+|\b\S+\.(?:com|net|org|io|dev|ru|cn|xyz)\b\S*/gi;
/** Speaks to whoever reads it instead of saying what something is. */
const ORDER =
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|previous|prior|above|rule|polic|prompt)|\bsystem prompt|\byou (?:are|must now)\b|\bas an ai\b|\b(?:api[ _-]?key|password|credential|secret token)s?\b.{0,30}\b(?:send|post|mail|leak|print|reveal)|\b(?:send|post|mail|upload|exfiltrat\w*|leak|reveal)\b.{0,60}\b(?:all (?:data|rows|records|customers)|api[ _-]?key|password|credential|outside|attacker)/i;

const isOrder = (text: string): boolean => {
  if (ORDER.test(text)) return true;
  const read = readText(text);
  return cues().orders.some((order) => hasPhrase(read, order));
};

/** One line of at most `most` characters; empty for what is no text, or what gives orders. */
export const plainLine = (value: unknown, most = 200): string => {
  if (typeof value !== 'string') return '';
  const line = value
    .slice(0, 4000)
    .replace(LONE, '')
    .normalize('NFKC')
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(ADDRESS, '')
    .replace(/[<>{}[\]`$\\|]/g, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (line === '' || isOrder(line)) return '';
  return line.length > most ? `${line.slice(0, most).replace(/\s\S*$/, '')}.` : line;
};

const MOST_WORDS = 5;

/** A lower_snake name of at most five words, or undefined for what has no letters to make one of. */
export const nameOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined;
  const name = snake(
    value
      .slice(0, 200)
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]+/g, fold),
  )
    .replace(/^[^a-z]+/, '')
    .split('_')
    .slice(0, MOST_WORDS)
    .join('_')
    .slice(0, 40)
    .replace(/_+$/, '');
  return name === '' || name === 'constructor' ? undefined : name;
};
