/**
 * Plural forms. They consist of a language's CLDR categories and numeric comparisons.
 *
 * @module
 */

/** A plural form: a CLDR category, or a comparison such as `=0`, `<5` or `>100`. */
export type PluralForm = string;

const categories: ReadonlySet<string> = new Set(["zero", "one", "two", "few", "many", "other"]);
const comparison = /^([=<>])(-?\d+(?:\.\d+)?)$/;
/** The count for a category in languages whose rules do not use the category, such as "zero" in English. */
const literalCounts: Readonly<Record<string, number>> = { zero: 0, one: 1, two: 2 };

/** Reports whether a message key is a plural form. */
export function isPluralForm(key: string): boolean {
  return categories.has(key) || comparison.test(key);
}

/**
 * Reports whether a key shows that its section has plural forms. Every language uses `other`, and no other key looks
 * like a comparison. A section with only `one` and `two` could also be a list of steps.
 */
export function isDecisiveForm(key: string): boolean {
  return key === "other" || comparison.test(key);
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
   * Chooses a plural form. An exact number takes precedence, followed by comparisons from narrow to wide, the
   * language's category, and `other`.
   *
   * @param count The count.
   * @param forms The available forms.
   * @returns The form, or `undefined` if none matches.
   */
  choose(count: number, forms: readonly PluralForm[]): PluralForm | undefined {
    const compared = forms.map(readComparison).filter((each) => each !== undefined && holds(each, count));
    if (compared.length > 0) return compared.sort((a, b) => narrowness(a) - narrowness(b))[0]?.form;
    for (const [form, literal] of Object.entries(literalCounts)) {
      if (count === literal && !this.#used.has(form) && forms.includes(form)) return form;
    }
    // If there is a "zero" form, it applies to a count of 0 even in languages whose "zero" category includes other
    // numbers.
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

/**
 * Returns the sort key of a comparison. `=` comes first, followed by `<` in ascending order and `>` in descending
 * order.
 */
function narrowness(comparison: Comparison | undefined): number {
  if (comparison === undefined) return Infinity;
  const { operator, operand } = comparison;
  return operator === "=" ? -Infinity : operator === "<" ? operand : 1e15 - operand;
}
