/**
 * The features of a new application.
 *
 * @module
 */

/** The features of a new application. */
export interface Choices {
  /** The name of the application and its folder. */
  Name: string;
  /** Whether to include a JSON API. */
  API: boolean;
  /** Whether to include templates and static files. */
  Site: boolean;
  /** Whether to include a controller with a service. */
  MVC: boolean;
  /** Whether to include sessions. */
  Sessions: boolean;
}

/** The question for each feature, in the order they are asked. */
export const questions: readonly { readonly part: Exclude<keyof Choices, "Name">; readonly text: string }[] = [
  { part: "API", text: "Add a JSON API?" },
  { part: "Site", text: "Add HTML templates and static files?" },
  { part: "MVC", text: "Add a controller with a service?" },
  { part: "Sessions", text: "Add sessions?" },
];
