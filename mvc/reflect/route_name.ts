/**
 * Which method names are routes, for the compiler; `method_parser.ts` says the same at run time.
 *
 * @module
 */

type Verb = "Get" | "Post" | "Put" | "Delete" | "Connect" | "Head" | "Patch" | "Options" | "Trace" | "All" | "Any";

/**
 * The name itself if its first word is a verb, and `never` otherwise: `Getter` is not a route.
 *
 * @internal
 */
export type RouteName<K> = K extends `${Verb}${infer Rest}`
  ? Rest extends "" ? K : Rest extends Uncapitalize<Rest> ? never : K
  : never;

/** Reports whether `By` is one of the words of a name; `GetByteSize` does not hold it. */
export type HasBy<K extends string> = K extends `${string}By${infer Rest}`
  ? Rest extends "" ? true : Rest extends Uncapitalize<Rest> ? HasBy<Rest> : true
  : false;
