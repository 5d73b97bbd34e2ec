/** What is known of a user. */
export interface User {
  readonly id: bigint;
  readonly name: string;
  readonly mail: string;
}

/** What a client may say of a user. */
export type UserInput = Omit<User, "id">;
