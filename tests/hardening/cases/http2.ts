import type { Attack } from "../attack.ts";
export const http2Attacks: readonly Attack[] = [];
