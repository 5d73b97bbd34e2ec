/** Figures of a benchmark: gathered by name, told as median and spread. */

/** Measurements by name. */
export class Figures {
  readonly #values = new Map<string, number[]>();

  /** Adds a measurement. */
  add(name: string, value: number): void {
    this.#values.set(name, [...this.#values.get(name) ?? [], value]);
  }

  /** The middle one. */
  median(name: string): number {
    const sorted = (this.#values.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  }

  /** The one that a quarter of them are below. */
  quartile(name: string): number {
    const sorted = (this.#values.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 4)] ?? NaN;
  }

  /** The lowest one, which is the least disturbed by the rest of the machine. */
  best(name: string): number {
    return Math.min(...this.#values.get(name) ?? [NaN]);
  }

  /** The middle one with the lowest and the highest. */
  spread(name: string): string {
    const values = this.#values.get(name) ?? [];
    return `${this.median(name).toFixed(3)} (${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)})`;
  }
}

/** The options of a benchmark: `--name=value`. */
export function option(name: string, fallback: string): string {
  const found = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return found === undefined ? fallback : found.slice(name.length + 3);
}

/** Writes a row of cells, the first to the left and the others to the right. */
export function printRow(first: string, ...cells: string[]): void {
  const line = first.padEnd(28) + cells.map((cell) => cell.padStart(22)).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
