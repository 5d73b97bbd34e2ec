/**
 * The lifecycle methods of controllers. Each handles the event that has the same name with an underscore before it.
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
