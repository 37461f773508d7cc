// Package tolerant reads responses of services that follow the specification but use another
// structure. Package api first tries the structures of the specification, and uses this package
// only for other structures.
//
// It has a few general rules, and knows no particular product:
//
//   - A list is an array, or the only member of an object that contains an array of objects, at
//     most three levels deep ([FindList]).
//   - A record is an object with a member that only this record has. It can be the only member
//     of an object, or of a row that is such an object ([FindRecord]).
//   - A next page can be announced by several common names ([Page]).
//   - Numbers, booleans and dates can be sent as texts, and texts as numbers ([Decoder]).
//   - null and a missing member mean the same. Unknown members are kept.
//   - A missing list is an error, and never an empty list. A value that cannot be understood is
//     an error or the zero value of its field, and never a guess.
package tolerant
