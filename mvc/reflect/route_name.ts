/**
 * Determines at compile time which method names are routes, like `method_parser.ts` at run time.
 *
 * @module
 */

type Verb = "Get" | "Post" | "Put" | "Delete" | "Connect" | "Head" | "Patch" | "Options" | "Trace" | "All" | "Any";

/**
 * The name itself if its first word is a verb, or `never` otherwise. `Getter` is not a route.
 *
 * @internal
 */
export type RouteName<K> = K extends `${Verb}${infer Rest}`
  ? Rest extends "" ? K : Rest extends Uncapitalize<Rest> ? never : K
  : never;

/** Reports whether `By` is one of the words of a name. `GetByteSize` does not contain it. */
export type HasBy<K extends string> = K extends `${string}By${infer Rest}`
  ? Rest extends "" ? true : Rest extends Uncapitalize<Rest> ? HasBy<Rest> : true
  : false;
