/**
 * The names of channels. Clients can choose the names of rooms, so a room must not be able to use the channel of
 * another namespace or one of fw's own channels. Those names contain a line feed, which room and topic names must not
 * contain.
 *
 * @module
 */

/** Returns the channel of a room. In the default namespace, a topic with the same name uses the same channel. */
export function roomChannel(namespace: string, room: string): string {
  return namespace === "" ? room : `${namespace}\n${room}`;
}

/**
 * Returns the name of a channel that clients cannot join.
 *
 * @param use The purpose of the channel.
 * @param name The name, if there are several channels for this purpose.
 */
export function ownChannel(use: string, name = ""): string {
  return `\n${use}\n${name}`;
}

/** Reports whether a channel has a name returned by {@linkcode ownChannel}. */
export function isOwnChannel(channel: string): boolean {
  return channel.startsWith("\n");
}

/**
 * Reports whether a room, topic or namespace may have a name. Control characters are reserved. Lone surrogates are not
 * allowed either, because they become the same character in UTF-8.
 */
export function isChannelName(name: string): boolean {
  return name.isWellFormed() && !/\p{Cc}/u.test(name);
}
