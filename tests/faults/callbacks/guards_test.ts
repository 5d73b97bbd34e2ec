import { family } from "./guards_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
