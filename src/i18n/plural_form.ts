/**
 * Plural forms: the CLDR categories of a language, and comparisons with a number.
 *
 * @module
 */

/** A plural form: a CLDR category, or a comparison such as `=0`, `<5` or `>100`. */
export type PluralForm = string;

const categories: ReadonlySet<string> = new Set(["zero", "one", "two", "few", "many", "other"]);
const comparison = /^([=<>])(-?\d+(?:\.\d+)?)$/;
/** The counts that a category means even in a language whose rules do not use it, as English does not use "zero". */
const literalCounts: Readonly<Record<string, number>> = { zero: 0, one: 1, two: 2 };

/** Reports whether a key of a message is a plural form. */
export function isPluralForm(key: string): boolean {
  return categories.has(key) || comparison.test(key);
}

/** Chooses the plural form for a count. */
export class PluralRules {
  readonly #rules: Intl.PluralRules;
  readonly #used: ReadonlySet<string>;

  constructor(tag: string) {
    this.#rules = new Intl.PluralRules(tag);
    this.#used = new Set(this.#rules.resolvedOptions().pluralCategories);
  }

  /**
   * Chooses among forms: an exact number first, then comparisons from narrow to wide, then the category of the
   * language, then `other`.
   *
   * @param count The count.
   * @param forms The forms of the message.
   * @returns The form, or `undefined` if none fits.
   */
  choose(count: number, forms: readonly PluralForm[]): PluralForm | undefined {
    const compared = forms.map(readComparison).filter((each) => each !== undefined && holds(each, count));
    if (compared.length > 0) return compared.sort((a, b) => narrowness(a) - narrowness(b))[0]?.form;
    for (const [form, literal] of Object.entries(literalCounts)) {
      if (count === literal && !this.#used.has(form) && forms.includes(form)) return form;
    }
    // An explicit "zero" is meant for nothing at all, also in a language that uses the category for more.
    if (count === 0 && forms.includes("zero")) return "zero";
    const category = this.#rules.select(count);
    return [category, "other"].find((form) => forms.includes(form));
  }
}

interface Comparison {
  readonly form: PluralForm;
  readonly operator: string;
  readonly operand: number;
}

function readComparison(form: PluralForm): Comparison | undefined {
  const [, operator, operand] = comparison.exec(form) ?? [];
  return operator === undefined ? undefined : { form, operator, operand: Number(operand) };
}

function holds({ operator, operand }: Comparison, count: number): boolean {
  return operator === "=" ? count === operand : operator === "<" ? count < operand : count > operand;
}

/** Sorts `=` first, then `<` with the smallest number first, then `>` with the largest number first. */
function narrowness(comparison: Comparison | undefined): number {
  if (comparison === undefined) return Infinity;
  const { operator, operand } = comparison;
  return operator === "=" ? -Infinity : operator === "<" ? operand : 1e15 - operand;
}
