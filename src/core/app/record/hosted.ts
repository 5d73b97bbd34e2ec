/**
 * Applications that other applications pass requests to.
 *
 * @module
 */

/** The life of an application, as seen by the applications around it. */
export interface Living {
  /** Lets the application serve requests. */
  hold(holder: object): void;
  /** Starts the work of the extensions. */
  start(): void;
  /** Takes no further work, if every holder is shutting down. */
  leave(holder: object): Promise<void>;
  /** Ends event streams and other endless responses. */
  endStreams(): void;
  /** Finishes work until a time on the `performance.now()` clock. */
  drain(until: number): Promise<void> | undefined;
  /** Cuts off the requests in flight. */
  cutOff(): void;
  /** Ends the application, if nothing else holds it. */
  end(holder: object, deadline: number): Promise<void>;
  /** Reports whether requests to the application can reach another one. */
  reaches(other: Living): boolean;
}

/** An application that others can pass requests to. `R` is the type of its registry. */
export interface Hosted<R> {
  readonly registry: R;
  readonly life: Living;
  /** Builds the application. */
  build(): Promise<void> | undefined;
}
