"""A problem worked through: coded, stratified, estimated, assembled, ranked."""
