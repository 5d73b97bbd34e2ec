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

/** A version together with the operator that compares with it. */
export interface Comparator extends SemVer {
  operator?: Operator;
}

/** Alternatives, each a list of comparators that must all hold. */
export type Range = Comparator[][];
