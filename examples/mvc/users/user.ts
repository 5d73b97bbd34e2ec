/** A stored user. */
export interface User {
  readonly id: bigint;
  readonly name: string;
  readonly mail: string;
}

/** The user data that clients send. */
export type UserInput = Omit<User, "id">;
