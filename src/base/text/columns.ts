/**
 * Formats rows as aligned columns.
 *
 * @module
 */

/**
 * Aligns columns to their widest cell, except for the last one.
 *
 * @param rows The rows, each with the same number of cells.
 * @returns The lines.
 */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((all, row) => {
    return row.map((cell, column) => Math.max(cell.length, all[column] ?? 0));
  }, []);
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd());
}
