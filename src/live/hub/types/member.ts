/**
 * The members of a room. Clients import these types, so this module imports nothing.
 *
 * @module
 */

/** A member of a room. */
export interface Member {
  /** The connection ID. */
  readonly ID: string;
  /** The application's information about the member, for example an ID and a name. */
  readonly Info: unknown;
}

/** A change in a room's members. */
export interface PresenceChange {
  /** All members. */
  readonly Members: readonly Member[];
  /** The members that joined. */
  readonly Joined: readonly Member[];
  /** The members that left. */
  readonly Left: readonly Member[];
  /** The members whose information has changed. */
  readonly Updated: readonly Member[];
}
