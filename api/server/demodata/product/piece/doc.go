// Package piece writes files whose head tells how long the parts are that
// follow, without keeping the parts: what does not fit into a little memory is
// made twice.
package piece
