import { family } from "./stores_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
