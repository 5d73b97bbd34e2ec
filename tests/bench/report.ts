/** Benchmark results, collected by name and printed as median and range. */

/** Measurements by name. */
export class Figures {
  readonly #values = new Map<string, number[]>();

  /** Adds a measurement. */
  add(name: string, value: number): void {
    this.#values.set(name, [...this.#values.get(name) ?? [], value]);
  }

  /** Returns the median. */
  median(name: string): number {
    const sorted = (this.#values.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  }

  /** Returns the lower quartile. */
  quartile(name: string): number {
    const sorted = (this.#values.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 4)] ?? NaN;
  }

  /** Returns the minimum, which is least affected by other load on the machine. */
  best(name: string): number {
    return Math.min(...this.#values.get(name) ?? [NaN]);
  }

  /** Returns the median with the minimum and the maximum. */
  spread(name: string, digits: number = 2): string {
    const values = this.#values.get(name) ?? [];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return `${this.median(name).toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`;
  }
}

/** Returns a command-line option in the form `--name=value`. */
export function option(name: string, fallback: string): string {
  const found = Deno.args.find((arg) => arg.startsWith(`--${name}=`));
  return found === undefined ? fallback : found.slice(name.length + 3);
}

/** Prints a row of cells. The first one is left-aligned, and the others are right-aligned. */
export function printRow(first: string, ...cells: string[]): void {
  const line = first.padEnd(28) + cells.map((cell) => cell.padStart(22)).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
