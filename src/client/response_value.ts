/**
 * What a response holds, by its content type.
 *
 * @module
 */

/** Content types and how each is read; the first that fits counts. */
const readers: readonly { readonly types: RegExp; readonly read: (response: Response) => Promise<unknown> }[] = [
  { types: /^[^;]*[/+]json\b/i, read: readJSON },
  {
    types: /^(?:text\/|application\/(?:[^;]*\+)?(?:xml|yaml|x-yaml|javascript|x-www-form-urlencoded)\b)/i,
    read: readText,
  },
];

/**
 * Reads a response.
 *
 * @param response The response.
 * @returns What JSON holds, a text, a `Blob`, or `undefined` when there is no body.
 */
export async function responseValue(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  const reader = readers.find((each) => each.types.test(type));
  if (reader !== undefined) return await reader.read(response);
  const blob = await response.blob();
  return blob.size === 0 ? undefined : blob;
}

async function readJSON(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

function readText(response: Response): Promise<string> {
  return response.text();
}
