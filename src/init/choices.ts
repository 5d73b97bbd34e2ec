/**
 * What a new application should have.
 *
 * @module
 */

/** What a new application should have. */
export interface Choices {
  /** Its name, which is also that of its folder. */
  Name: string;
  /** Routes that speak JSON. */
  API: boolean;
  /** Pages from templates, and static files. */
  Site: boolean;
  /** A controller with a service. */
  MVC: boolean;
  /** A session for each visitor. */
  Sessions: boolean;
}

/** One question for each part, in the order they are asked. */
export const questions: readonly { readonly part: Exclude<keyof Choices, "Name">; readonly text: string }[] = [
  { part: "API", text: "Routes that speak JSON?" },
  { part: "Site", text: "Pages from templates, and static files?" },
  { part: "MVC", text: "A controller with a service?" },
  { part: "Sessions", text: "A session for each visitor?" },
];
