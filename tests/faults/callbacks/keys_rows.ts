/**
 * The callbacks of API keys: the owner's lookup and the store that the application implements.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import type { Fault } from "./faults.ts";
import { serve } from "./site.ts";
import type { Family, Row } from "./table.ts";

type Act = (ctx: fw.Context, keys: apikeys.Keys, id: string) => unknown;

/** A failed decision: the request fails, and the log has the reason. */
const decision = { throws: "500 logged", rejects: "500 logged", never: "503 logged", values: "500 logged" };
/** A failure of the store while a request is authenticated. */
const outage = { throws: "503 logged", rejects: "503 logged", never: "503 logged", values: "503 logged" };

/** Replaces a method of the store once a key exists. */
function broken(method: string, isBroken: () => boolean, fault: Fault): apikeys.Store {
  return new Proxy(apikeys.NewMemory(), {
    get(target, name) {
      if (name === method && isBroken()) return fault.fn;
      return (Reflect.get(target, name, target) as (...args: unknown[]) => unknown).bind(target);
    },
  });
}

/** Serves a route that does something with the keys. If there is nothing to do, the request is only authenticated. */
function row(method: string, gives: Row["gives"], act?: Act): Row {
  return {
    of: [method === "User" ? "middleware/apikeys/keys.Options.User" : `middleware/apikeys/store.Store.${method}`],
    run: async (fault) => {
      let isBroken = false;
      const keys = apikeys.New({
        Store: broken(method, () => isBroken, fault),
        ...method === "User" && { User: fault.fn },
      });
      const { Key, ID } = await keys.Create({ Owner: "ada", Name: "script" });
      isBroken = true;
      return await serve(fault, {
        set: (app) =>
          app.Get("/x", ...act === undefined ? [keys.Require()] : [], async (ctx) => {
            await act?.(ctx, keys, ID);
            ctx.WriteString("end");
          }),
        ask: ({ url }) => fetch(`${url}/x`, { headers: { authorization: `Bearer ${Key}` } }),
      });
    },
    gives,
  };
}

const rows: readonly Row[] = [
  row("User", { ...decision, null: "401" }),
  row("Find", { ...outage, null: "401" }),
  row("Touch", { throws: "200 logged", rejects: "200 logged", never: "200", values: "200" }),
  row("Insert", { ...decision, values: "200" }, (_ctx, keys) => keys.Create({ Owner: "ada", Name: "other" })),
  row("List", decision, (_ctx, keys) => keys.List("ada")),
  row("Expire", decision, (_ctx, keys, id) => keys.Rotate("ada", id)),
  row("Delete", decision, (_ctx, keys, id) => keys.Revoke("ada", id)),
];

/** The callbacks of API keys. */
export const family: Family = { name: "API keys", rows };
