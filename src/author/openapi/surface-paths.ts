/** Dotted paths of a surface, and whether one more can stand among them. */
export class SurfacePaths {
  readonly #whole = new Set<string>();
  /** What stands above them. */
  readonly #above = new Set<string>();

  add(path: string): void {
    this.#whole.add(path);
    for (const prefix of prefixesOf(path)) this.#above.add(prefix);
  }

  /** One path runs through the other. */
  collides(path: string): boolean {
    return this.#whole.has(path) || this.#above.has(path) || prefixesOf(path).some((prefix) => this.#whole.has(prefix));
  }
}

const prefixesOf = (path: string): string[] => {
  const out: string[] = [];
  for (let at = path.indexOf('.'); at !== -1; at = path.indexOf('.', at + 1)) out.push(path.slice(0, at));
  return out;
};
