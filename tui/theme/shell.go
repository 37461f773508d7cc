package theme

// Shell is the theme of what is printed among other programs' lines: the
// terminal's own colours, which suit its background, whatever that is. Blue is
// the bright one: the other can hardly be read on black in many palettes.
func Shell() *Theme {
	return build("shell", Tokens{Roles: hex("", "8", "6", "12", "3", "5", "2", "1")})
}
