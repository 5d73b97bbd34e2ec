import { family } from "./handlers_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
