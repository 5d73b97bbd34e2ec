import { setCookie } from "@std/http/cookie";
export function x(): string { const h = new Headers(); setCookie(h, {name: "a", value: "b"}); return h.get("set-cookie") ?? ""; }
