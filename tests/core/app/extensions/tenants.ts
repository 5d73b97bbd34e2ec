/**
 * Tenants: every request belongs to a customer, who is found by a header.
 *
 * @module
 */

import { type Call, type Extension, Key } from "@fw/web";

/** A customer. */
export interface Tenant {
  readonly Name: string;
  readonly Plan: "free" | "pro";
}

/** The tenant of a call. */
export const tenantKey: Key<Tenant | undefined> = Key<Tenant | undefined>("tenant");

/** Options of {@linkcode tenants}. */
export interface TenantOptions {
  readonly Tenants: Readonly<Record<string, Tenant>>;
  readonly Header?: string;
}

/** Creates the extension. */
export function tenants(options: TenantOptions): Extension<(ctx: Pick<Call, "Values">) => Tenant> {
  return {
    Name: "tenants",
    Install(host) {
      const { Tenants, Header } = host.Options(options, {
        Tenants: { Kind: "object", Required: true },
        Header: { Kind: "string", Default: "x-tenant" },
      });
      const failure = host.Errors({
        TENANT_UNKNOWN: { Meaning: "The request belongs to no tenant", Remedy: "Guard the route with the tenants" },
      });
      const all = new Map(Object.entries(Tenants) as [string, Tenant][]);
      host.Provide(tenantKey, (ctx) => all.get(ctx.GetHeader(Header)), {
        Encode: (tenant) => tenant?.Name,
        Decode: (name) => all.get(String(name)),
      });
      host.Label("tenant", (ctx) => ctx.Values().Get(tenantKey)?.Name, { Log: true, Vary: Header });
      host.Label("plan", (ctx) => ctx.Values().Get(tenantKey)?.Plan, { Metric: ["free", "pro"] });
      host.ViewFunc("tenant", (ctx: Call) => ctx.Values().Get(tenantKey)?.Name ?? "nobody");
      host.Page("/tenant", (ctx) => ctx.JSON(ctx.Values().Get(tenantKey) ?? null));
      host.Panel("Tenants", () => [...all.values()]);
      host.Check("tenants", () => all.size > 0, "start");
      return (ctx) => {
        const tenant = ctx.Values().Get(tenantKey);
        if (tenant === undefined) throw failure("TENANT_UNKNOWN", "Cannot find the tenant of the call");
        return tenant;
      };
    },
  };
}
