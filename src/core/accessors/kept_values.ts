/**
 * Selects the submitted form values that may be shown to the user again.
 *
 * @module
 */

import { type KeepRules, type KeptValues, readFormOptions } from "./form_options.ts";

const noOptions = { Secrets: [], Kept: [] };

/** Words that make a field a secret wherever they stand in its name, as in `passwordRepeat` and `newpassword`. */
const secretWord = / (?:\S*passw(?:or)?[dt]s?|pass(?:phrase|code|key)|pwd)(?:confirm(?:ation)?|repeat|again)? /;
/** Words that make a field a secret if its name ends with them: `cardPin` and `pin_code`, but not `pin_color`. */
const secretEnd = new RegExp(
  " (?:pin|[ht]?otp|cvc2?|cvv2?|csc|secret|(?:api|secret|private) ?key|" +
    "(?:csrf|xsrf|authenticity|api|access|refresh|auth|bearer) ?token)(?: (?:code|number|confirm(?:ation)?|repeat|again))? $",
);
/** Names of fields that are secrets as a whole: `user_pass`, but not `ski_pass`. */
const secretWhole = /^ (?:(?:user|new|old|current|repeat|confirm) ?)?pass $/;
const secretNames = [secretWord, secretEnd, secretWhole];
/** Words of a field that repeats another one. */
const repetition = / (?:confirm(?:ation|ed)?|repeat(?:ed)?|again|re ?type[d]?|re ?enter(?:ed)?|verify|verification) /;
/** The length from which equal values are unlikely to be a coincidence, such as a PIN and a quantity. */
const tellingLength = 8;

/**
 * Selects the values that a page may show again. Files and secrets are removed.
 *
 * @param input The submitted form.
 * @param rules The form's own secrets, and a callback for dropped fields.
 */
export function keptValues(input: unknown, { options, onDrop }: KeepRules = {}): KeptValues {
  // The object has no prototype, so a field named `__proto__` gets no special treatment.
  const kept: Record<string, string | string[]> = Object.create(null);
  const { Secrets, Kept } = options === undefined ? noOptions : readFormOptions(options);
  if (typeof input !== "object" || input === null) return kept;
  const entries = Object.entries(input).map(([name, value]) => ({
    name,
    words: wordsOf(name),
    strings: stringsOf(value),
  }));
  const isSecret = ({ name, words }: { readonly name: string; readonly words: string }) =>
    Secrets.includes(name) || !Kept.includes(name) && secretNames.some((pattern) => pattern.test(words));
  const secrets = new Set(entries.flatMap((entry) => isSecret(entry) ? entry.strings : []));
  secrets.delete("");
  for (const entry of entries) {
    const { name, words, strings } = entry;
    const [first] = strings;
    if (first === undefined) continue;
    // Forms often ask for a password twice, in a second field named "confirm" or "repeat".
    const isRepeated = !Kept.includes(name) &&
      strings.some((each) => secrets.has(each) && (each.length >= tellingLength || repetition.test(words)));
    if (!isRepeated && !isSecret(entry)) {
      kept[name] = Array.isArray((input as Record<string, unknown>)[name]) ? strings : first;
    } else if (!Secrets.includes(name)) onDrop?.(name);
  }
  return kept;
}

function stringsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
}

/** Returns the words of a name in lower case, each between spaces. */
function wordsOf(name: string): string {
  const spaced = name.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)/g, " ");
  return ` ${spaced.toLowerCase().split(/[^\p{L}\d]+/u).filter((word) => !/^\d*$/.test(word)).join(" ")} `;
}
