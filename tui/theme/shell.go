package theme

// Shell is the theme of what is printed among other programs' lines: the
// terminal's own colours, which suit its background, whatever that is.
func Shell() *Theme {
	return build("shell", Tokens{Roles: hex("", "8", "6", "4", "3", "5", "2", "1")})
}
