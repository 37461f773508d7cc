// Package tolerant reads answers of services that follow the specification but shape their
// answers in another way. Package api reads the specification's own shapes first, and asks
// this package only for what has another shape.
//
// It has a few general rules, and knows the names of no product:
//
//   - A list is an array, or the one member of an object that holds an array of objects, at
//     most three levels deep ([FindList]).
//   - A record is an object with a member that only a record has. It may be the one member of
//     an object or of a row that is such an object ([FindRecord]).
//   - A next page may be announced by several common names ([Page]).
//   - Numbers, booleans and dates may be sent as text, and texts as numbers ([Decoder]).
//   - null and an absent member are the same. Unknown members are kept.
//   - A list that was not sent is "not sent", never empty. What cannot be understood is an
//     error or the zero value of its field, never a guess.
package tolerant
