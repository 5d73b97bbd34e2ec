/**
 * The lifecycle methods of WebSocket controllers. Clients import their names, so this module imports nothing.
 *
 * @module
 */

/** The names of the lifecycle methods. */
export const lifecycleMethods = [
  "OnNamespaceConnect",
  "OnNamespaceConnected",
  "OnNamespaceDisconnect",
  "OnRoomJoin",
  "OnRoomJoined",
  "OnRoomLeave",
  "OnRoomLeft",
  "OnAnyEvent",
  "OnNativeMessage",
] as const;

/** The name of a lifecycle method. Clients cannot call these methods. */
export type LifecycleMethod = typeof lifecycleMethods[number];
