// Package land makes up the ground of a mission from a seed: a relief with
// fields, woods, houses and water, the same at every look. Whatever is made of
// one land agrees with all else that is.
package land
