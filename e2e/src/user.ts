export interface User {
  uid: number
  gid: number
}
