import { family } from "./sockets_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
