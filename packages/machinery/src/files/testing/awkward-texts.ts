/**
 * Texts that YAML readers easily misread; kubectl distinguishes each from similar ones.
 */
export const awkwardTexts: readonly string[] = JSON.parse(
  '["yes","on","017","1e3","2026-01-01","~","null","0x1f","y","12:30","1_000","","true","a: b","#x","- a","0o17",".5",".inf","=","<<","!x","%a","@a","\\u0060a","a\\nb","a\\n"," a","a ","\\u0085","é","😀","1.","+1","0b1","1:2:3","No","NULL","0x","1e","-","?","a: ","{a}","[","\\"","\'","|",">","&a","*a",",","a#b","a #b","\\t","\\\\","---","..."]',
) as readonly string[];
