import { family } from "./features_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
