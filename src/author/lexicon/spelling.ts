/** Folds the spellings that mean one word (`canceled`, `de_activate`, `check-in`), in words and in enum values alike. */

/** Folds a list of lower-case words; a line of two words (`re_open`) joins neighbours. */
export const folder =
  (spelling: Record<string, string>) =>
  (words: readonly string[]): string[] => {
    const out: string[] = [];
    for (let i = 0; i < words.length; i++) {
      const pair = i + 1 < words.length ? spelling[`${words[i]}_${words[i + 1]}`] : undefined;
      if (pair !== undefined) i++;
      out.push(...(pair ?? spelling[words[i] as string] ?? (words[i] as string)).split('_'));
    }
    return out;
  };
