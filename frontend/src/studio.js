export function studio() {}
