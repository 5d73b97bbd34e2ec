/** The operators of a comparator. */
export type Operator = undefined | "=" | "!=" | ">" | ">=" | "<" | "<=";

/** A semantic version. */
export interface SemVer {
  major: number;
  minor: number;
  patch: number;
  prerelease?: (string | number)[];
  build?: string[];
}

/** A version and the operator for comparisons with it. */
export interface Comparator extends SemVer {
  operator?: Operator;
}

/** A list of alternatives. Each is a list of comparators that must all be satisfied. */
export type Range = Comparator[][];
