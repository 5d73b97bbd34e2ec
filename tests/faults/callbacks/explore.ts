import { explore } from "./table.ts";
const [name, filter] = Deno.args;
await explore((await import(`./${name}_rows.ts`)).family, filter);
Deno.exit(0);
