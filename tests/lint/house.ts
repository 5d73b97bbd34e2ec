/**
 * Where a file stands in the house: its path below the repository, and its floor.
 *
 * @module
 */

const root = new URL("../../", import.meta.url).pathname;

/** The floors of the house, low to high; folders of one floor do not see one another. The rooms of mvc lie between 7 and 8. */
const floors: Readonly<Record<string, number>> = {
  // The ground: the name and the version of the package.
  "deno.json": -1,
  "src/log": 0,
  "src/base": 1,
  "src/formats": 1.5,
  "src/http": 2,
  "src/i18n": 2,
  "src/keys": 2,
  "src/macro": 2,
  "src/view": 2,
  "src/server": 2,
  "src/store": 2,
  "src/body": 3,
  "src/response": 3,
  "src/router": 3,
  "src/input": 3.5,
  "src/context": 4,
  "src/live": 5,
  "src/middleware": 5,
  "src/sessions": 5,
  "src/static": 5,
  "src/websocket": 5.5,
  "src/app": 6,
  "src/versioning": 6.5,
  "mvc/reflect": 7.1,
  "mvc/inject": 7.2,
  "mvc/result": 7.3,
  "mvc/route": 7.4,
  "mvc": 7.5,
  "src/client": 8,
  "src/httptest": 8,
  "src/lint": 8,
  "src/init": 8,
  "src/openapi": 8,
  "src/routes": 8,
  "mod.ts": 8,
  // Its tools are described as operations of a document are.
  "src/mcp": 8.5,
};

/** Returns the path of a file below the repository, with slashes. */
export function pathInHouse(filename: string): string {
  const path = filename.replaceAll("\\", "/");
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** Returns the absolute name of a file whose path below the repository is given. */
export function fileInHouse(path: string): string {
  return root + path;
}

/** Reports whether a file is published, which most rules are about; tests and examples are not. */
export function isPublished(filename: string): boolean {
  return /^(src|mvc)\/|^mod\.ts$/.test(pathInHouse(filename));
}

/** Reports whether a file is a test or serves the tests. */
export function isTest(filename: string): boolean {
  return pathInHouse(filename).startsWith("tests/");
}

/** Returns the folder that has a floor: `src/app` for `src/app/party.ts`, `mvc` for `mvc/mod.ts`, the file at the top. */
export function folderOf(path: string): string {
  const [top = "", ...rest] = path.split("/");
  const hasRooms = top === "src" || (top === "mvc" && rest.length > 1);
  return hasRooms ? `${top}/${rest[0]}` : top;
}

/** Returns the floor of a folder, or `undefined` if it has none. */
export function floorOf(folder: string): number | undefined {
  return Object.hasOwn(floors, folder) ? floors[folder] : undefined;
}
