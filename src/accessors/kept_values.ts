/**
 * Selects the submitted form values that may be shown to the user again.
 *
 * @module
 */

/**
 * Submitted strings by field name. The value is an array if the field was submitted several times or is declared as an
 * array.
 */
export type KeptValues = Readonly<Record<string, string | readonly string[]>>;

const secretName = /pass(?:w(?:or)?[dt]|phrase|code|key)|pwd|secret|token|api_?key/;
/** Words that indicate a secret only if they are whole words: `pin`, but not `shipping`. */
const secretWord = /(?:^|[^a-z])(?:pass|pin|otp|totp|cvc|cvv|csc)(?:$|[^a-z])/;

/**
 * Selects the values that a page may show again. Files and secrets are removed.
 *
 * @param input The submitted form.
 */
export function keptValues(input: unknown): KeptValues {
  // The object has no prototype, so a field named `__proto__` gets no special treatment.
  const kept: Record<string, string | string[]> = Object.create(null);
  if (typeof input !== "object" || input === null) return kept;
  const entries = Object.entries(input).map(([name, value]) => [name, stringsOf(value)] as const);
  // Forms often ask for a password twice, in a second field named "confirm" or "repeat".
  const secrets = new Set(entries.flatMap(([name, strings]) => isSecret(name) ? strings : []));
  secrets.delete("");
  for (const [name, strings] of entries) {
    const [first] = strings;
    if (first === undefined || isSecret(name) || strings.some((each) => secrets.has(each))) continue;
    kept[name] = Array.isArray((input as Record<string, unknown>)[name]) ? strings : first;
  }
  return kept;
}

function stringsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
}

function isSecret(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return secretName.test(words) || secretWord.test(words);
}
