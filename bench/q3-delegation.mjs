export async function q3() { return []; }
